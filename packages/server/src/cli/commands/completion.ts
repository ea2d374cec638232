import { Argument, type Command } from "commander";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { commandWords, type CommandWords } from "../completion/word-tree.ts";
import { zshScript } from "../completion/zsh.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { exampleList, helpText } from "../help/help-text.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<
  string,
  (commands: readonly CommandWords[]) => string
>;

export function addCompletion(program: Command, { stdout }: Surroundings): void {
  program
    .command("completion")
    .description("print what lets the Tab key complete commands and options in your shell")
    .addArgument(new Argument("<shell>", "your shell").choices(Object.keys(scripts)))
    .addHelpText(
      "after",
      helpText(
        exampleList("Run the line for your shell once, and open a new terminal:", [
          [`echo 'eval "$(postdate completion bash)"' >> ~/.bashrc`, "bash"],
          [`echo 'eval "$(postdate completion zsh)"' >> ~/.zshrc`, "zsh"],
          [
            "mkdir -p ~/.config/fish/completions && postdate completion fish > ~/.config/fish/completions/postdate.fish",
            "fish",
          ],
        ]),
        exampleList("Examples:", [
          ['eval "$(postdate completion bash)"', "for the bash that is open"],
        ]),
      ),
    )
    .action((shell: keyof typeof scripts) => {
      stdout.write(scripts[shell](commandWords(program)));
    });
}
