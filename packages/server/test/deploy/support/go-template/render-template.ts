import { functions, isEmpty, printed, type TemplateFunction } from "./functions.ts";
import type { Branch, Node, Operand, Pipe } from "./nodes.ts";

interface Scope {
  readonly dot: unknown;
  readonly variables: ReadonlyMap<string, unknown>;
}

/**
 * Renders templates as Helm does, as far as our chart needs it: Helm cannot be had as an npm package. Where
 * Go is installed, a test compares the two.
 */
export class Templates {
  readonly #defined = new Map<string, readonly Node[]>();
  readonly #functions: Readonly<Record<string, TemplateFunction>> = {
    ...functions,
    include: (name, dot) => this.#include(printed(name), dot),
  };

  define(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (node.kind === "define") this.#defined.set(node.name, node.body);
    }
  }

  render(nodes: readonly Node[], data: unknown): string {
    return this.#body(nodes, { dot: data, variables: new Map([["$", data]]) });
  }

  #include(name: string, dot: unknown): string {
    const body = this.#defined.get(name);
    if (body === undefined) throw new Error(`no template ${name}`);
    return this.render(body, dot);
  }

  #body(nodes: readonly Node[], { dot, variables }: Scope): string {
    const scope = { dot, variables: new Map(variables) };
    return nodes.map((node) => this.#node(node, scope)).join("");
  }

  #node(node: Node, scope: Scope & { variables: Map<string, unknown> }): string {
    switch (node.kind) {
      case "text":
        return node.text;
      case "define":
        return "";
      case "print":
        return printed(this.#pipe(node.pipe, scope));
      case "set":
        scope.variables.set(node.variable, this.#pipe(node.pipe, scope));
        return "";
      case "if":
        return this.#first(node.branches, scope, (_value, body) => this.#body(body, scope));
      case "with":
        return this.#first(node.branches, scope, (value, body) =>
          this.#body(body, { ...scope, dot: value ?? scope.dot }),
        );
      default:
        return this.#first(node.branches, scope, (value, body) =>
          value === undefined
            ? this.#body(body, scope)
            : this.#range(value, node.names, body, scope),
        );
    }
  }

  /** The first branch whose condition holds; an `else` gets no value. */
  #first(
    branches: readonly Branch[],
    scope: Scope,
    use: (value: unknown, body: readonly Node[]) => string,
  ): string {
    for (const { pipe, body } of branches) {
      if (pipe === null) return use(undefined, body);
      const value = this.#pipe(pipe, scope);
      if (!isEmpty(value)) return use(value, body);
    }
    return "";
  }

  #range(over: unknown, names: readonly string[], body: readonly Node[], scope: Scope): string {
    const entries: [unknown, unknown][] = Array.isArray(over)
      ? [...over.entries()]
      : Object.entries(over as object).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return entries
      .map(([key, dot]) => {
        const given = names.length === 1 ? [dot] : [key, dot];
        const variables = new Map(scope.variables);
        for (const [place, name] of names.entries()) variables.set(name, given[place]);
        return this.#body(body, { dot, variables });
      })
      .join("");
  }

  #pipe(pipe: Pipe, scope: Scope): unknown {
    let value: unknown;
    for (const [place, [head, ...operands]] of pipe.entries()) {
      const given = operands.map((operand) => this.#operand(operand, scope));
      const values = place === 0 ? given : [...given, value];
      if (head!.kind === "name") value = this.#call(head!.name, values);
      else if (values.length > 0) throw new Error("only a function takes arguments");
      else value = this.#operand(head!, scope);
    }
    return value;
  }

  #operand(operand: Operand, scope: Scope): unknown {
    switch (operand.kind) {
      case "value":
        return operand.value;
      case "name":
        return this.#call(operand.name, []);
      case "pipe":
        return this.#pipe(operand.pipe, scope);
      default: {
        const { root, path } = operand;
        if (root !== "" && !scope.variables.has(root)) throw new Error(`no variable ${root}`);
        const from = root === "" ? scope.dot : scope.variables.get(root);
        // Helm gives nothing for a value that is not there, and fails below it.
        return path.reduce<unknown>((value, name) => {
          if (typeof value !== "object" || value === null) throw new Error(`no .${path.join(".")}`);
          return (value as Record<string, unknown>)[name];
        }, from);
      }
    }
  }

  #call(name: string, values: readonly unknown[]): unknown {
    const called = this.#functions[name];
    if (called === undefined) throw new Error(`no function ${name}`);
    return called(...values);
  }
}
