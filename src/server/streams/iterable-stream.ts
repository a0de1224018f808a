const encoder = new TextEncoder()

/** Returns texts as the body of a response. */
export function textBody(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return streamOf(texts, (text) => encoder.encode(text))
}

/** Returns values as a stream: each is requested when the reader has taken the previous one. */
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
