import { MandateError } from '../../core/index.ts'
import { addressOf, isPublic } from './addresses.ts'
import { isChecked } from '../checks.ts'

/** A parsed allow list. */
export interface Allowed {
  /** Throws `DENIED` with the fix unless the URL is allowed, as far as its text shows. */
  check(url: URL): void
  /** Whether an allowed name may resolve to this address. */
  mayReach(host: string, address: string): boolean
}

interface AllowRule {
  readonly protocol: string | undefined
  readonly host: string
  /** The default port of the scheme if absent. */
  readonly port: string | undefined
  readonly subdomains: boolean
  /** The required beginning of the path. */
  readonly path: string
}

/**
 * Parses an allow list. An entry is a host (`api.example.com`, with `:8080` for another than the default port), all subdomains (`*.example.com`), an
 * origin (`https://api.example.com`), an origin with the beginning of a path (`https://api.example.com/v1/*`), or `*` for every public host.
 * Everything else is denied, and without a list everything. Addresses that are not public are reached only if the list has them as addresses, or as
 * `localhost`.
 */
export function readAllow(list: readonly string[] = []): Allowed {
  const rules = list.map(readRule)
  const check = (url: URL): void => {
    if (!isChecked('http.allow-list')) return
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw denied(`"${url.protocol}" is not reached by http_fetch. Use http or https.`)
    if (url.username !== '' || url.password !== '')
      throw denied('a URL must not hold a user name or password. Send them in a header, as a secret.')
    if (/%25|%2e|%2f|%5c|%00|%c[01]|;/i.test(url.pathname) && rules.some(({ path }) => path !== '/'))
      throw denied(
        'a path with an encoded "/", "\\", "." or "%", or with ";", could be read differently by the server. Write it plainly.',
      )
    // Granted literally: whether the address is public is not checked then.
    if (rules.some((rule) => rule.host === url.hostname && fits(rule, url))) return
    const address = addressOf(url.hostname)
    if (address !== undefined && !isPublic(address))
      throw denied(
        `${address} is not on the public internet. Grant it as it is: httpFetch({ allow: ['${url.host}'] }).`,
      )
    if (rules.some((rule) => fits(rule, url))) return
    throw denied(
      `network access to "${url.host}" is off. Grant it: httpFetch({ allow: [${[...list, url.host].map((one) => `'${one}'`).join(', ')}] }).`,
    )
  }
  return {
    check,
    mayReach: (host, address) =>
      isPublic(address) ||
      !isChecked('http.addresses') ||
      (host === 'localhost' && rules.some((rule) => rule.host === host)),
  }
}

function fits(rule: AllowRule, url: URL): boolean {
  if (!url.pathname.startsWith(rule.path)) return false
  const isHost =
    rule.host === '*' ? true : rule.subdomains ? url.hostname.endsWith(`.${rule.host}`) : url.hostname === rule.host
  const usual = url.protocol === 'https:' ? '443' : '80'
  const isPort = (url.port || usual) === (rule.port ?? usual)
  return isHost && isPort && (rule.protocol === undefined || rule.protocol === url.protocol)
}

function readRule(entry: string): AllowRule {
  if (entry === '*') return { protocol: undefined, host: '*', port: undefined, subdomains: false, path: '/' }
  const [, site = entry, path = '/'] = /^(https?:\/\/[^/]+)(\/.*)\*$/.exec(entry) ?? []
  return { ...readSite(entry, site), path }
}

function readSite(entry: string, site: string): Omit<AllowRule, 'path'> {
  const subdomains = /^(https?:\/\/)?\*\./.test(site)
  const plain = site.replace(/^((?:https?:\/\/)?)\*\./, '$1')
  const protocol = /^https?:(?=\/\/)/.exec(plain)?.[0]
  const url = URL.parse(protocol === undefined ? `http://${plain}` : plain)
  const isBare =
    url !== null && url.pathname === '/' && url.search + url.hash + url.username === '' && !plain.endsWith('/')
  if (!isBare || url.hostname === '' || url.hostname.includes('*')) {
    throw new MandateError(
      'CONFIG_INVALID',
      `"${entry}" in \`allow\` is neither a host nor an origin. Write e.g. 'api.example.com', '*.example.com' or 'https://api.example.com'.`,
    )
  }
  return { protocol, host: url.hostname, port: /:(\d+)$/.exec(plain)?.[1], subdomains }
}

function denied(why: string): MandateError {
  return new MandateError('DENIED', `Refused: ${why}`)
}
