import { repeatedName } from '../../core/index.ts'

/** The protocol's own limit of a body; a larger one is refused by the part that reads it. */
const BODY_BYTES = 4 * 1_024 * 1_024
const PARSE_ERROR = -32_700

/**
 * Returns the error response for a body that repeats a name in one object. Parsers differ in which of the two values they keep, so a proxy that inspects
 * bodies could have allowed another call than the one that would be made.
 */
export async function refuseRepeatedNames(request: Request): Promise<Response | undefined> {
  const text = await textOf(request)
  const name = text === undefined || !isJson(text) ? undefined : repeatedName(text)
  if (name === undefined) return undefined
  const message = `Parse error: ${JSON.stringify(name.slice(0, 100))} stands twice in one object. Send each name once.`
  return Response.json({ jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message } }, { status: 400 })
}

/** Reads the body from a clone, so that it stays readable. Returns nothing if it is absent or too large. */
async function textOf(request: Request): Promise<string | undefined> {
  if (request.body === null) return undefined
  const decoder = new TextDecoder()
  const reader = request.clone().body!.getReader()
  let [text, bytes] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    if ((bytes += value.length) > BODY_BYTES) break
    text += decoder.decode(value, { stream: true })
  }
  // Not awaited: it settles only when the original has been read as well.
  void reader.cancel()
  return undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
