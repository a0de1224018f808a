import { inject } from 'vitest'
import { givenUrl } from './servers.ts'

/** The server that all tests of this run share, started by the first who asks. Take a schema, a database or a prefix of your own in it. */
export async function sharedServer(kind: 'postgres' | 'redis' | 'restate'): Promise<string> {
  const given = givenUrl(kind)
  if (given !== undefined) return given
  const answer = await fetch(`${inject('serverDesk')}/${kind}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
