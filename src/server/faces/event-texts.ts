/** Converts the stream parts of an agent to events of another protocol. */
interface EventFold<Part, Event> {
  start(): readonly Event[]
  add(part: Part): readonly Event[]
  end(): readonly Event[] | Promise<readonly Event[]>
}

interface Writing<Event> {
  readonly textOf: (event: Event) => string
  /** Returns the events that end a failed stream. */
  readonly onFailure: (error: unknown) => readonly Event[]
}

/** Yields the events of a fold as text: its start, each part of the stream, its end. */
export async function* eventTexts<Part, Event>(
  fold: EventFold<Part, Event>,
  parts: AsyncIterable<Part>,
  { textOf, onFailure }: Writing<Event>,
): AsyncGenerator<string> {
  const written = (events: readonly Event[]): string => events.map(textOf).join('')
  yield written(fold.start())
  try {
    for await (const part of parts) {
      const events = fold.add(part)
      if (events.length > 0) yield written(events)
    }
    yield written(await fold.end())
  } catch (error) {
    yield written(onFailure(error))
  }
}
