import { parser } from "@prometheus-io/lezer-promql";

type Tree = ReturnType<typeof parser.parse>;
type Node = Tree["topNode"];

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

export interface Expression {
  readonly selectors: readonly Selector[];
  /** Each aggregation, the outer before the inner, with its labels and the selectors inside. */
  readonly groupings: readonly {
    /** `sum`, `max`, `topk` … */
    readonly operator: string;
    readonly labels: readonly string[];
    readonly selectors: readonly Selector[];
  }[];
}

/** Reads PromQL with the parser of Prometheus' own web pages. Throws where it is not PromQL. */
export function readExpression(text: string): Expression {
  const { topNode } = parser.parse(text);
  for (const node of nodesIn(topNode)) {
    if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${text}`);
  }
  const textOf = ({ from, to }: Node): string => text.slice(from, to);

  function selectorsIn(node: Node): Selector[] {
    return named(node, "VectorSelector").map((selector) => ({
      metric: textOf(selector.getChild("Identifier")!),
      matchers: named(selector, "UnquotedLabelMatcher").map((matcher) => ({
        label: textOf(matcher.getChild("LabelName")!),
        operator: textOf(matcher.getChild("MatchOp")!),
        value: textOf(matcher.getChild("StringLiteral")!).slice(1, -1),
      })),
    }));
  }

  return {
    selectors: selectorsIn(topNode),
    groupings: named(topNode, "AggregateExpr").map((aggregation) => ({
      operator: textOf(aggregation.getChild("AggregateOp")!),
      labels: named(aggregation, "AggregateModifier")
        // Those of an inner aggregation are its own.
        .filter((modifier) => modifier.parent?.from === aggregation.from)
        .flatMap((modifier) => named(modifier, "LabelName").map(textOf)),
      selectors: selectorsIn(aggregation),
    })),
  };
}

function named(node: Node, name: string): Node[] {
  return nodesIn(node).filter((each) => each.name === name);
}

function nodesIn(node: Node): Node[] {
  const nodes = [node];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    nodes.push(...nodesIn(child));
  }
  return nodes;
}
