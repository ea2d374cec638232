import { useMutation, useQueryClient } from "@tanstack/react-query";
import { announce } from "../presentation/announcements.tsx";

interface ChangeOptions<Given, Answer> {
  readonly change: (given: Given) => Promise<Answer>;
  /** Said afterwards; nothing for a change whose answer speaks for itself. */
  readonly done?: string | ((answer: Answer) => string);
  /** The beginnings of the keys of what is different afterwards. */
  readonly touches: readonly (readonly unknown[])[];
}

/** Changes something on the server, says so, and reads again what it has touched. */
export function useChange<Given = void, Answer = unknown>(options: ChangeOptions<Given, Answer>) {
  const queries = useQueryClient();
  const { change, done, touches } = options;
  return useMutation({
    mutationFn: change,
    onSuccess(answer) {
      if (done !== undefined) announce(typeof done === "string" ? done : done(answer));
    },
    onSettled: () =>
      Promise.all(touches.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
}
