/** Functions available to programs: `await tools.add(n)` and `await tools.ask({ name, … })`. */
export interface World {
  readonly add: (n: number) => Promise<number>
  readonly ask: (question: Question) => Promise<unknown>
}

export interface Question {
  readonly name: string
  readonly body?: string
}

/** A fresh sandbox. */
export interface Sandbox {
  /** Parses and runs a source and returns its value; a promise is awaited. */
  run(source: string): unknown
  end(): void
}

export interface Engine {
  readonly label: string
  readonly create: (world: World) => Sandbox | Promise<Sandbox>
}

/** Whether a source returns a promise. A sandbox need not wait for other values. */
export function waits(source: string): boolean {
  return source.startsWith('(async')
}
