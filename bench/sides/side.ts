/** The tool that every side offers its model. */
export type Add = (input: { readonly a: number; readonly b: number }) => Promise<{ readonly sum: number }>

/**
 * One library, made to do the same work as the others: a model that costs next to nothing calls one tool ten times and says a word.
 * The model counts the results it is shown, so every side has to carry its conversation along; input passes the tool's zod schema.
 */
export interface PeerSide {
  readonly label: string
  /** An agent with the tool; each call is a run of its own and gives what the model said last. */
  readonly make: (add: Add) => () => Promise<string>
  /** Has an agent stream a text in so many pieces, and gives the number that arrived. */
  readonly stream: (deltas: number) => Promise<number>
  /** The same work with every step kept in a SQLite file of this folder before the next one begins, by the library's own means. */
  readonly durable?: (folder: string) => Promise<DurableSide>
}

export interface DurableSide {
  readonly label: string
  readonly run: () => Promise<string>
}

export const TURNS = 10
export const INSTRUCTIONS = 'You add numbers.'
export const DELTA = 'tok '

/** A stream that makes each part when it is asked for. */
export function streamOf(parts: Iterator<object>): ReadableStream<object> {
  return new ReadableStream({
    pull(controller) {
      const next = parts.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
  })
}
