import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { IMMUTABLE } from './http/security-headers.ts'
import { serveFetch } from './listener.ts'

test('an answer gets the security headers, and keeps the policy of a page with a form and the caching of a file that never changes', async () => {
  const own: Record<string, Record<string, string>> = {
    '/form': { 'referrer-policy': 'same-origin' },
    '/file': { 'cache-control': IMMUTABLE },
    '/other': { 'referrer-policy': 'unsafe-url', 'cache-control': 'public' },
  }
  const answer = async ({ url }: Request): Promise<Response> =>
    new Response('', { headers: own[new URL(url).pathname]! })
  const { url, close } = await serveFetch(answer, { port: 0, host: '127.0.0.1' })
  const headersOf = async (path: string): Promise<unknown> => {
    const { headers } = await fetch(`${url}${path}`)
    return [headers.get('referrer-policy'), headers.get('cache-control'), headers.get('x-frame-options')]
  }
  expect(await headersOf('/form')).toEqual(['same-origin', 'no-store', 'DENY'])
  expect(await headersOf('/file')).toEqual(['no-referrer', IMMUTABLE, 'DENY'])
  expect(await headersOf('/other')).toEqual(['no-referrer', 'no-store', 'DENY'])
  await close()
})

test('a request that can be read in two ways is refused with what would be one way', async () => {
  const { port, close } = await serveFetch(async () => new Response('never'), { port: 0, host: '127.0.0.1' })
  const answered = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: x\r\n\r\n`),
    )
    socket.setEncoding('utf8').on('data', (more: string) => (text += more))
    socket.on('end', () => resolve(text)).on('error', reject)
  })
  expect(answered).toMatch(/^HTTP\/1\.1 400 [^]*one Host with the port of the server/)
  await close()
})

test('a path that nobody can read is refused with how it is written', async () => {
  const { url, close } = await serveFetch(async () => new Response('never'), { port: 0, host: '127.0.0.1' })
  const told = async (path: string): Promise<unknown> => {
    const { error } = (await (await fetch(`${url}${path}`)).json()) as { error: { code: string; message: string } }
    return [error.code, error.message]
  }
  expect(await told('/a%ff')).toEqual(['INPUT_INVALID', expect.stringContaining('`encodeURIComponent`')])
  expect(await told('/a%2fb')).toEqual(['NOT_FOUND', 'This path is not served.'])
  await close()
})
