const encoder = new TextEncoder()

/** Texts as the body of an answer. */
export function textBody(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return streamOf(texts, (text) => encoder.encode(text))
}

/** Values as a stream: each is asked for when the reader has taken the one before. */
export function streamOf<T, O = T>(
  values: AsyncGenerator<T>,
  convert: (value: T) => O = (value) => value as unknown as O,
): ReadableStream<O> {
  return new ReadableStream<O>(
    {
      async pull(controller) {
        const { done, value } = await values.next()
        if (done === true) controller.close()
        else controller.enqueue(convert(value))
      },
      async cancel() {
        await values.return(undefined)
      },
    },
    { highWaterMark: 1 },
  )
}
