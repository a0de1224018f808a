/** The tool that every side provides to its model. */
export type Add = (input: { readonly a: number; readonly b: number }) => Promise<{ readonly sum: number }>

/**
 * One library that performs the same work as the others: a model of negligible cost calls one tool ten times and then replies. The model counts the results
 * in its input, so every side has to maintain its conversation; input passes the tool's zod schema.
 */
export interface PeerSide {
  readonly label: string
  /** Creates an agent with the tool. Each call is a separate run and returns the model's last reply. */
  readonly make: (add: Add) => () => Promise<string>
  /** Streams a text in this many pieces, and returns the number of pieces received. */
  readonly stream: (deltas: number) => Promise<number>
  /** The same work with every step stored in a SQLite file of this folder before the next one starts, by the library's own means. */
  readonly durable?: (folder: string) => Promise<DurableSide>
}

export interface DurableSide {
  readonly label: string
  readonly run: () => Promise<string>
}

export const TURNS = 10
export const INSTRUCTIONS = 'You add numbers.'
export const DELTA = 'tok '

/** A stream that creates each part on demand. */
export function streamOf(parts: Iterator<object>): ReadableStream<object> {
  return new ReadableStream({
    pull(controller) {
      const next = parts.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
  })
}
