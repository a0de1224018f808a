import { describe, expect, it } from 'vitest'
import { StudioSession } from '../../src/server/studio/studio-session.ts'
import { studioWith } from './studio.fixture.ts'

const SECRET = 'a secret of tests, long enough to sign with'

const look = (url: string, init: RequestInit = {}): Promise<Response> => fetch(url, { redirect: 'manual', ...init })

describe('the link of a studio', () => {
  it('signs in one browser once: to look at it does not use it up', async () => {
    const { link } = await studioWith(SECRET, 'run')
    const given = await link()
    for (const init of [{ method: 'HEAD' }, { headers: { 'sec-purpose': 'prefetch;prerender' } }]) {
      const answer = await look(given, init)
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([503, null])
    }
    expect([(await look(given)).status, (await look(given)).status, (await look(given)).status]).toEqual([
      302, 401, 401,
    ])
    expect((await look(await link())).status).toBe(302)
  })

  it('gives a cookie that is good at the place of its studio alone, and there only with the place', async () => {
    const [one, other] = [await studioWith(SECRET, 'a'), await studioWith(`${SECRET}, another one`, 'b')]
    const opened = await look(await one.link())
    const [cookie = '', ...attributes] = opened.headers.get('set-cookie')!.split('; ')
    const { place } = one.studio
    expect(place).toMatch(/^\/~[0-9a-f]{32}$/)
    expect(opened.headers.get('location')).toBe(`${place}/`)
    expect(attributes).toEqual([`Path=${place}`, 'Max-Age=43200', 'HttpOnly', 'SameSite=Strict'])
    const status = async (url: string): Promise<number> => (await look(url, { headers: { cookie } })).status
    expect(await status(`${one.url}${place}/api/runs`)).toBe(200)
    expect(await status(`${one.url}/api/runs`)).toBe(401)
    expect(await status(`${one.url}${other.studio.place}/api/runs`)).toBe(401)
    expect(await status(`${other.url}${other.studio.place}/api/runs`)).toBe(401)
    expect((await look(`${one.url}${place}/api/runs`)).status).toBe(401)
    // What another server has set for the host is passed over, and does not sign anybody out.
    const planted = await look(`${one.url}${place}/api/runs`, { headers: { cookie: `mandate-studio=x.y; ${cookie}` } })
    expect(planted.status).toBe(200)
  })

  it('is good for ten minutes, and its cookie for twelve hours', async () => {
    const session = new StudioSession(SECRET, { id: 'ana', roles: ['owner'] })
    const [hour, now] = [3_600_000, Date.now()]
    const cookieOf = async (openedAt: number, issuedAt: number): Promise<string | undefined> =>
      session.cookieFor(new URL(session.link('http://x', issuedAt)).searchParams.get('ticket')!, false, openedAt)
    expect(await cookieOf(now, now - 601_000)).toBe(undefined)
    const asked = async (cookie = ''): Promise<unknown> =>
      session.authenticate(session.within(new Request(`http://x${session.place}/`, { headers: { cookie } })))
    expect(await asked(await cookieOf(now - 11 * hour, now - 11 * hour))).toMatchObject({ id: 'ana' })
    expect(await asked(await cookieOf(now - 13 * hour, now - 13 * hour))).toBe(undefined)
  })

  it('opens pages in which no text can become code or markup', async () => {
    const { link, url } = await studioWith(SECRET, 'run')
    const opened = await look(await link())
    const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
    const page = await look(`${url}${opened.headers.get('location')}`, { headers: { cookie } })
    expect(page.headers.get('content-security-policy')).toContain("require-trusted-types-for 'script'")
  })

  it('gives a cookie for secure pages where a proxy has ended TLS', async () => {
    const { link, url, studio } = await studioWith(SECRET, 'run')
    const opened = await look(await link(), { headers: { 'x-forwarded-proto': 'https' } })
    const cookie = opened.headers.get('set-cookie')!
    expect(cookie).toMatch(/^__Secure-mandate-studio=.*; Secure$/)
    const runs = await look(`${url}${studio.place}/api/runs`, { headers: { cookie: cookie.split(';')[0]! } })
    expect(runs.status).toBe(200)
  })
})
