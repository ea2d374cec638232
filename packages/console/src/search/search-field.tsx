import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { inertText } from "../presentation/inert-text.ts";
import { qualifiers } from "./qualifiers.ts";
import styles from "./search-field.module.css";

interface SearchFieldProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly onSearch: (text: string) => void;
}

/** A search text, and the words that it may be made of. */
export function SearchField({ value, problem, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [searched, setSearched] = useState(value);
  if (searched !== value) {
    setSearched(value);
    setText(value);
  }
  return (
    <search>
      <form
        className={styles["form"]}
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(text.trim());
        }}
      >
        <TextInput
          type="search"
          aria-label="Search messages"
          placeholder="An id, or target:mail state:dead label:order=4711"
          className={styles["field"]}
          value={text}
          spellCheck={false}
          autoComplete="off"
          error={problem && inertText(problem)}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={({ key, currentTarget }) => key === "Escape" && currentTarget.blur()}
        />
        <Button type="submit">Search</Button>
      </form>
      <div className={styles["words"]} role="group" aria-label="Add to the search">
        {Object.entries(qualifiers).map(([word, meaning]) => (
          <button
            key={word}
            type="button"
            title={meaning}
            className={styles["word"]}
            onClick={() => {
              setText(`${text.trim()} ${word}`.trim());
              document.querySelector<HTMLInputElement>("input[type=search]")?.focus();
            }}
          >
            {word}
          </button>
        ))}
      </div>
    </search>
  );
}
