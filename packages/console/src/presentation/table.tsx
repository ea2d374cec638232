import type { ReactNode } from "react";
import styles from "./table.module.css";

export interface Column<Item> {
  readonly name: string;
  readonly show: (item: Item) => ReactNode;
  /** Where there is room, its text stays in one line. */
  readonly isWhole?: boolean;
  /** Numbers stand at the right, and buttons too. */
  readonly isAtRight?: boolean;
}

interface TableProps<Item> {
  /** What the table has, for those who do not see it. */
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
}

/** Rows and columns; on a narrow screen each row is a card with the names of its values. */
export function Table<Item>({ label, columns, items, keyOf }: TableProps<Item>) {
  return (
    <div className={styles["frame"]}>
      <table className={styles["table"]} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ name, isAtRight = false }) => (
              <th key={name} scope="col" data-right={isAtRight}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map(({ name, show, isAtRight = false, isWhole = false }) => (
                <td
                  key={name}
                  data-name={name}
                  data-right={isAtRight}
                  className={isWhole ? styles["whole"] : undefined}
                >
                  {show(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
