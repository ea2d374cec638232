/** A test delivery under way on any node. */
export interface RunningTest {
  readonly testKey: string;
  readonly targetKey: number;
  readonly epoch: number;
  readonly generation: number;
}

export class TestTable {
  readonly #byKey = new Map<string, RunningTest>();

  add(test: RunningTest): void {
    this.#byKey.set(test.testKey, test);
  }

  end(testKey: string): void {
    this.#byKey.delete(testKey);
  }

  countOf(targetKey: number): number {
    return this.#byKey
      .values()
      .filter((test) => test.targetKey === targetKey)
      .toArray().length;
  }

  ofEpoch(epoch: number): RunningTest[] {
    return [...this.#byKey.values()].filter((test) => test.epoch === epoch);
  }
}
