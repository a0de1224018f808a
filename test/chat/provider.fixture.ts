import type { Provider, ProviderRequest, ProviderResponseChunk } from 'mandate/chat'

/** What a provider answers to one request: chunks, or what makes them. */
export type Answer =
  | readonly ProviderResponseChunk[]
  | ((request: ProviderRequest, signal: AbortSignal | undefined) => AsyncIterable<ProviderResponseChunk>)

export interface TestProvider extends Provider {
  readonly asked: ProviderRequest[]
  readonly methods: ('complete' | 'stream')[]
}

/** A provider that answers what it is told, one answer after the other, and remembers what it was asked. */
export function testProvider(
  answers: readonly Answer[],
  capabilities: Partial<Provider['capabilities']> = {},
  id = 'test',
): TestProvider {
  const asked: ProviderRequest[] = []
  const methods: ('complete' | 'stream')[] = []
  const left = [...answers]
  const next = (request: ProviderRequest, method: 'complete' | 'stream'): Answer => {
    asked.push(structuredClone(request))
    methods.push(method)
    const answer = left.shift()
    if (answer === undefined) throw new Error('the test provider has no answer left')
    return answer
  }
  return {
    id,
    asked,
    methods,
    capabilities: { streaming: true, tools: true, ...capabilities },
    async complete(request, given) {
      const answer = next(request, 'complete')
      if (typeof answer !== 'function') return answer
      const chunks: ProviderResponseChunk[] = []
      for await (const chunk of answer(request, given?.signal)) chunks.push(chunk)
      return chunks
    },
    async *stream(request, given) {
      const answer = next(request, 'stream')
      if (typeof answer === 'function') yield* answer(request, given?.signal)
      else yield* answer
    },
  }
}

export function text(...pieces: readonly string[]): ProviderResponseChunk[] {
  return pieces.map((piece) => ({ type: 'text', text: piece }))
}

export function call(name: string, args: unknown, id = `call-${name}`): ProviderResponseChunk {
  return { type: 'tool_call', toolCall: { id, name, arguments: args } }
}

export const done: ProviderResponseChunk = { type: 'done' }

/** An answer that breaks off before it has begun. */
export function failing(message: string, status = 400): Answer {
  const next = (): Promise<never> => Promise.reject(Object.assign(new Error(message), { status }))
  return () => ({ [Symbol.asyncIterator]: () => ({ next }) })
}

/** An answer that says something and then waits until it is cut. `asked` resolves when it is asked for. */
export function hanging(said: string): { readonly answer: Answer; readonly asked: Promise<void>; cuts: number } {
  let tell = (): void => {}
  const made = {
    cuts: 0,
    asked: new Promise<void>((resolve) => (tell = resolve)),
    answer: async function* (_request: ProviderRequest, signal: AbortSignal | undefined) {
      const cut = new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => {
          made.cuts += 1
          resolve()
        })
      })
      tell()
      yield* text(said)
      await cut
    },
  }
  return made
}

/** Waits for the first piece of a stream, and leaves the rest. */
export async function firstPiece(stream: AsyncIterable<string>): Promise<string> {
  const { value } = await stream[Symbol.asyncIterator]().next()
  return String(value)
}
