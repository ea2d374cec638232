import { Fragment, useRef, useState, type KeyboardEvent } from "react";
import { heatOf } from "./heat.ts";
import styles from "./heat-map.module.css";

export interface HeatCell {
  readonly value: number;
  /** How much of the value is not certain yet, from 0 to 1: it has a colour of its own. */
  readonly coming: number;
  /** What the cell stands for, such as a day and an hour, and what is in it. */
  readonly label: string;
}

interface HeatMapProps {
  /** What the map shows, for those who do not see it. */
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    /** Undefined: there is nothing to show at this place. */
    readonly cells: readonly (HeatCell | undefined)[];
  }[];
  /** The cell that is open now, by row and column. */
  readonly opened: readonly [number, number] | undefined;
  readonly onOpen: (row: number, column: number) => void;
}

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Rows and columns of cells, the fuller the darker. One cell has the focus, and the arrow keys move it. */
export function HeatMap({ label, columns, rows, opened, onOpen }: HeatMapProps) {
  const grid = useRef<HTMLDivElement>(null);
  const [focus, setFocus] = useState<readonly [number, number]>([0, firstCell(rows[0]?.cells)]);
  const values = rows.flatMap(({ cells }) => cells.map((cell) => cell?.value ?? 0));
  const highest = Math.max(1, ...values);
  const lowest = Math.min(highest, ...values.filter((value) => value > 0));
  const move = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const [row, column] = [focus[0] + step[0], focus[1] + step[1]];
    if (rows[row]?.cells[column] === undefined) return;
    setFocus([row, column]);
    grid.current?.querySelector<HTMLElement>(`[data-place="${row} ${column}"]`)?.focus();
  };
  return (
    <div className={styles["scroller"]}>
      <div
        ref={grid}
        role="grid"
        aria-label={label}
        className={styles["grid"]}
        style={{ gridTemplateColumns: `auto repeat(${columns.length}, minmax(1.15rem, 1fr))` }}
      >
        <div role="row" className={styles["row"]}>
          <span role="columnheader" className={styles["corner"]}>
            <span className={styles["hidden"]}>Day</span>
          </span>
          {columns.map((name) => (
            <span key={name} role="columnheader" className={styles["column"]}>
              {name}
            </span>
          ))}
        </div>
        {rows.map(({ name, cells }, row) => (
          <div key={name} role="row" className={styles["row"]}>
            <span role="rowheader" className={styles["name"]}>
              {name}
            </span>
            {cells.map((cell, column) => (
              <Fragment key={columns[column]}>
                {cell === undefined ? (
                  <span role="gridcell" className={styles["nothing"]} aria-label="past" />
                ) : (
                  <button
                    type="button"
                    role="gridcell"
                    className={styles["cell"]}
                    data-place={`${row} ${column}`}
                    data-heat={heatOf(cell.value, lowest, highest)}
                    aria-selected={opened?.[0] === row && opened[1] === column}
                    tabIndex={focus[0] === row && focus[1] === column ? 0 : -1}
                    title={cell.label}
                    aria-label={cell.label}
                    onFocus={() => setFocus([row, column])}
                    onKeyDown={move}
                    onClick={() => onOpen(row, column)}
                  >
                    {cell.value > 0 && (
                      <span className={styles["value"]}>{short.format(cell.value)}</span>
                    )}
                    {cell.coming > 0 && (
                      <span
                        className={styles["coming"]}
                        style={{ width: `${Math.max(15, cell.coming * 100)}%` }}
                      />
                    )}
                  </button>
                )}
              </Fragment>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

function firstCell(cells: readonly unknown[] = []): number {
  return Math.max(
    0,
    cells.findIndex((cell) => cell !== undefined),
  );
}
