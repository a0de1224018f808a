// What all four programs are given and what they give back. Not counted: a real program has its own shop and its own callers.

export interface Shop {
  order(id: string): Promise<{ id: string; total: number; opened: boolean }>
  refund(order: string, amount: number): Promise<string>
  rules(topic: string): Promise<string>
}

export interface Outcome {
  /** `waiting`: a person has to decide about `call`. `stopped`: the budget is spent. */
  readonly status: 'done' | 'waiting' | 'stopped'
  readonly answer?: { readonly decision: 'refunded' | 'refused'; readonly amount: number; readonly reason: string }
  readonly call?: { readonly tool: string; readonly input: unknown }
}

/** Shows the answer while it is written: partial objects, or pieces of text where a library has only these. */
export type Show = (part: unknown) => void

export interface Support {
  /** Begins the request `id`. */
  ask(id: string, question: string, show: Show): Promise<Outcome>
  /** A person's answer to the call that waits; any process may give it, at any time. */
  decide(id: string, approved: boolean, show: Show): Promise<Outcome>
  /** Goes on after the process died. Steps that are on disk are not repeated. */
  resume(id: string, show: Show): Promise<Outcome>
  close(): Promise<void>
}
