import { Atlas, agent, chatText, tool } from 'mandate/chat'
import type { Provider, ProviderRequest, ProviderResponseChunk } from 'mandate/chat'

/** A provider over `fetch`: the answer comes as lines of JSON. */
function httpProvider(url: string): Provider {
  async function* stream(
    request: ProviderRequest,
    call?: { readonly signal: AbortSignal },
  ): AsyncGenerator<ProviderResponseChunk> {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(request), signal: call?.signal ?? null })
    if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + read.value).split('\n')
      rest = lines.pop()!
      for (const line of lines) yield JSON.parse(line) as ProviderResponseChunk
    }
  }
  return {
    id: 'http',
    capabilities: { streaming: true, tools: true },
    stream,
    async complete(request, call) {
      const chunks: ProviderResponseChunk[] = []
      for await (const chunk of stream(request, call)) chunks.push(chunk)
      return chunks
    },
  }
}

/** What a page sees of a whole conversation: answers, events, a cancelled stream and a failed one. */
async function converse(url: string): Promise<object> {
  const time = tool({ name: 'time', parameters: { type: 'object', properties: {} }, risk: 'read' }, () => 'noon')
  const [helper, other] = ['helper', 'other'].map((id) => agent({ id, provider: 'http', model: id, tools: [time] }))
  const atlas = new Atlas({ providers: [httpProvider(url)], agents: [helper!, other!], systemPrompt: 'Be kind.' })
  const events: string[] = []
  for (const name of [
    'message:sent',
    'stream:start',
    'stream:end',
    'tool:called',
    'tool:result',
    'message:received',
    'error',
  ])
    atlas.on(name, () => void events.push(name))
  const pieces: string[] = []
  for await (const piece of atlas.send('What time is it?')) pieces.push(piece)
  const asked = chatText(await atlas.setAgentById('other').ask('Who are you?'))
  const cut = atlas.send('Hang.')
  for await (const piece of cut) if (piece !== '') void cut.cancel()
  const failure = await atlas.ask('Fail.').catch((error: unknown) => String(error))
  const { messages } = await atlas.getConversation()
  await atlas.stop()
  return { pieces, asked, cut: await cut.finalMessage, failure, events, said: messages.map(chatText) }
}

Object.assign(globalThis, { converse })
