/** What programs may call: `await tools.add(n)` and `await tools.ask({ name, … })`. */
export interface World {
  readonly add: (n: number) => Promise<number>
  readonly ask: (question: Question) => Promise<unknown>
}

export interface Question {
  readonly name: string
  readonly body?: string
}

/** One sandbox, fresh. */
export interface Sandbox {
  /** Reads and runs a source and gives its value; what it promises is waited for. */
  run(source: string): unknown
  end(): void
}

export interface Engine {
  readonly label: string
  readonly create: (world: World) => Sandbox | Promise<Sandbox>
}

/** Whether a source gives a promise; a sandbox need not wait for others. */
export function waits(source: string): boolean {
  return source.startsWith('(async')
}
