import { MandateError } from '../core/index.ts'

/** Says whether a URL may be reached, or throws `DENIED` with the fix. */
export type AllowCheck = (url: URL) => void

interface AllowRule {
  readonly protocol: string | undefined
  readonly host: string
  /** The usual one of the scheme when absent. */
  readonly port: string | undefined
  readonly subdomains: boolean
}

/**
 * Reads an allow list. An entry is a host (`api.example.com`, with `:8080` for another than the usual port), all hosts below one
 * (`*.example.com`), or an origin (`https://api.example.com`). Nothing is allowed that is not on it, and without a list nothing is.
 */
export function readAllow(list: readonly string[] = []): AllowCheck {
  const rules = list.map(readRule)
  return (url) => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw denied(`"${url.protocol}" is not reached by http_fetch. Use http or https.`)
    if (url.username !== '' || url.password !== '')
      throw denied('a URL must not hold a user name or password. Send them in a header, as a secret.')
    if (rules.some((rule) => fits(rule, url))) return
    throw denied(
      `network access to "${url.host}" is off. Grant it: httpFetch({ allow: [${[...list, url.host].map((one) => `'${one}'`).join(', ')}] }).`,
    )
  }
}

function fits(rule: AllowRule, url: URL): boolean {
  const isHost = rule.subdomains ? url.hostname.endsWith(`.${rule.host}`) : url.hostname === rule.host
  const usual = url.protocol === 'https:' ? '443' : '80'
  const isPort = (url.port || usual) === (rule.port ?? usual)
  return isHost && isPort && (rule.protocol === undefined || rule.protocol === url.protocol)
}

function readRule(entry: string): AllowRule {
  const subdomains = /^(https?:\/\/)?\*\./.test(entry)
  const plain = entry.replace(/^((?:https?:\/\/)?)\*\./, '$1')
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
