import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { exchange } from './http-exchange.ts'
import type { HttpRequest } from './http-exchange.ts'

const request = (url: string): HttpRequest => ({
  url: new URL(url),
  method: 'GET',
  headers: new Headers(),
  body: undefined,
})

async function follow(from: string, to: string): Promise<string[]> {
  const sent: string[] = []
  const send = async ({ url }: HttpRequest): Promise<never> => {
    sent.push(url.href)
    const isFirst = sent.length === 1
    return { status: isFirst ? 302 : 200, headers: isFirst ? { location: to } : {}, body: Readable.from([]) } as never
  }
  const parts = { allow: { check: () => {} } as never, send, maxBytes: 100 }
  await exchange(request(from), parts, new AbortController().signal)
  return sent
}

test('a redirect from https to http is not followed', async () => {
  await expect(follow('https://a.example/', 'http://a.example/')).rejects.toMatchObject({
    code: 'DENIED',
    message: expect.stringContaining('redirects from https to http://a.example'),
  })
  expect(await follow('https://a.example/', '/other')).toEqual(['https://a.example/', 'https://a.example/other'])
  expect(await follow('http://a.example/', 'https://a.example/')).toHaveLength(2)
})
