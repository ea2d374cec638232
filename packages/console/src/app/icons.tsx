const paths = {
  Overview: "M4 13h6V4H4v9Zm0 7h6v-4H4v4Zm10 0h6v-9h-6v9Zm0-16v4h6V4h-6Z",
  Messages: "M4 6h16v12H4V6Zm0 1 8 6 8-6",
  Targets: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16Zm0 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z",
  "Dead letters": "M4 7h16M6 7l1 13h10l1-13M10 11v5m4-5v5M9 7V4h6v3",
  Jobs: "M4 7h10M4 12h16M4 17h7M17 5l3 2-3 2",
  Schedules: "M4 12a8 8 0 1 1 2.3 5.6M4 12l-1-3m1 3 3-1M12 8v4l3 2",
  Forecast: "M4 20V10m5 10V4m5 16v-7m5 7V8",
  Live: "M3 12h4l3-7 4 14 3-7h4",
  Access: "M14.5 4a5.5 5.5 0 0 0-5.2 7.3L4 16.6V20h3.4v-2h2v-2h2l1.3-1.3A5.5 5.5 0 1 0 14.5 4Z",
  "Audit log": "M6 4h12v16H6V4Zm3 4h6M9 12h6M9 16h3",
  Usage: "M4 17a8 8 0 1 1 16 0M12 17l4-6",
  Nodes: "M4 5h16v5H4V5Zm0 9h16v5H4v-5Zm3-6.5h.01M7 16.5h.01",
  Operator: "M12 3l8 3v6c0 4.5-3.4 7.7-8 9-4.6-1.3-8-4.5-8-9V6l8-3Z",
  Search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5.2 12.2L20 20",
  Person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM5 20a7 7 0 0 1 14 0",
} as const;

export type IconName = keyof typeof paths;

/** Only an ornament: a text beside it, or the button around it, says the same. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
