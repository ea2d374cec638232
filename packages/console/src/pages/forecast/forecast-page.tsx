import { Autocomplete, SegmentedControl, Text } from "@mantine/core";
import type { Forecast } from "@postdate/client";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { forecastQuery, targetPageQuery } from "../../api/queries.ts";
import { useScopes } from "../../api/session.tsx";
import type { ForecastSearch } from "../../app/router.tsx";
import { HeatMap } from "../../charts/heat-map.tsx";
import { amount } from "../../presentation/amount.ts";
import { Page } from "../../presentation/page.tsx";
import { Panel } from "../../presentation/panel.tsx";
import { ProblemNote } from "../../presentation/problem-note.tsx";
import { Reading } from "../../presentation/reading.tsx";
import { zoneName } from "../../time/time-text.ts";
import { useZone } from "../../time/zone.tsx";
import { daysOfHours, type HourOfDay } from "./days-of-hours.ts";
import { HourPanel } from "./hour-panel.tsx";
import { OverduePanel } from "./overdue-panel.tsx";
import styles from "./forecast.module.css";

const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
const spans = ["7", "14", "28"];

/** What becomes due when: days and their hours. A cell opens its minutes. */
export default function ForecastPage() {
  const { targetId, days = "7", hour } = useSearch({ from: "/forecast" });
  const navigate = useNavigate();
  const forecast = useQuery(forecastQuery(Number(days), targetId));
  const set = (changes: ForecastSearch): void =>
    void navigate({ to: "/forecast", search: (old) => ({ ...old, ...changes }), replace: true });
  return (
    <Page
      title="Forecast"
      actions={
        <>
          <TargetChoice targetId={targetId} onChoose={(chosen) => set({ targetId: chosen })} />
          <SegmentedControl
            size="xs"
            aria-label="How many days"
            data={spans.map((value) => ({ value, label: `${value} days` }))}
            value={days}
            onChange={(chosen) => set({ days: chosen })}
          />
        </>
      }
    >
      {forecast.error && (
        <ProblemNote error={forecast.error} onRetry={() => void forecast.refetch()} />
      )}
      {forecast.isPending && <Reading height={320} />}
      {forecast.data && (
        <DueByHour
          key={`${targetId} ${days}`}
          forecast={forecast.data}
          targetId={targetId}
          openedFrom={hour === undefined || hour === "overdue" ? undefined : Date.parse(hour)}
          onOpen={(from) => set({ hour: new Date(from).toISOString() })}
        />
      )}
      {hour === "overdue" && <OverduePanel targetId={targetId} />}
    </Page>
  );
}

interface DueByHourProps {
  readonly forecast: Forecast;
  readonly targetId: string | undefined;
  /** When the hour that is open begins. */
  readonly openedFrom: number | undefined;
  readonly onOpen: (from: number) => void;
}

function DueByHour({ forecast, targetId, openedFrom, onOpen }: DueByHourProps) {
  const zone = useZone();
  const days = daysOfHours(forecast.items, zone);
  const sum = forecast.items.reduce((all, { messages }) => all + messages, 0);
  const runs = forecast.items.reduce((all, item) => all + item.runs, 0);
  const place = placeOf(days, openedFrom);
  const opened = place && days[place[0]]?.hours[place[1]];
  return (
    <>
      <Panel
        title={`By day and hour, ${zoneName(zone)}`}
        aside={
          <>
            {amount({ value: sum, exact: forecast.exact })} messages,{" "}
            {amount({ value: runs, exact: forecast.runsExact })} runs of schedules,{" "}
            <Link to="/forecast" search={(old) => ({ ...old, hour: "overdue" })} replace>
              {amount({ value: forecast.overdue, exact: forecast.exact })} overdue
            </Link>
          </>
        }
      >
        <HeatMap
          label="Messages due, by day and hour"
          columns={hours}
          rows={days.map(({ date, hours: ofDay }) => ({
            name: date,
            cells: ofDay.map((hour) => hour && cellOf(hour)),
          }))}
          opened={place}
          onOpen={(row, column) => onOpen(days[row]!.hours[column]!.from)}
        />
        <Text size="sm" c="dimmed" mt="sm" className={styles["note"]}>
          {forecast.counting
            ? "It is still being counted; this page looks again."
            : "Golden lines are the share of schedules. Open a cell to see its minutes; the arrow keys move."}
        </Text>
      </Panel>
      {opened && <HourPanel key={opened.from} hour={opened} targetId={targetId} />}
    </>
  );
}

function placeOf(
  days: ReturnType<typeof daysOfHours>,
  from: number | undefined,
): readonly [number, number] | undefined {
  for (const [row, { hours: ofDay }] of days.entries()) {
    const column = ofDay.findIndex((hour) => hour !== undefined && hour.from === from);
    if (column !== -1) return [row, column];
  }
  return undefined;
}

function cellOf({ messages, runs, label }: HourOfDay) {
  const parts = [`${messages.toLocaleString("en")} due`];
  if (runs > 0) parts.push(`${runs.toLocaleString("en")} runs of schedules`);
  const value = messages + runs;
  return {
    value,
    coming: value === 0 ? 0 : runs / value,
    label: `${label}: ${parts.join(", ")}`,
  };
}

interface TargetChoiceProps {
  readonly targetId: string | undefined;
  readonly onChoose: (targetId: string | undefined) => void;
}

function TargetChoice({ targetId, onChoose }: TargetChoiceProps) {
  const { readAll } = useScopes();
  const { data } = useQuery({ ...targetPageQuery(), enabled: readAll });
  const [text, setText] = useState(targetId ?? "");
  return (
    <Autocomplete
      size="xs"
      aria-label="Target"
      placeholder="All targets"
      limit={20}
      data={data?.items.map((target) => target.targetId) ?? []}
      value={text}
      onChange={setText}
      onOptionSubmit={onChoose}
      onBlur={() => onChoose(text.trim() || undefined)}
      onKeyDown={({ key }) => key === "Enter" && onChoose(text.trim() || undefined)}
    />
  );
}
