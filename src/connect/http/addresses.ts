import { BlockList, isIP } from 'node:net'
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { MandateError } from '../../core/index.ts'

/** Gives all addresses of a name. */
export type Resolver = (host: string) => Promise<readonly string[]>

/** The resolver of the system, hosts file included. */
export const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address)

/** Everything that is not the public internet: this machine, its networks, its cloud, and ranges that are only for documents, tests or tunnels into the rest. */
const PRIVATE_V4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  // The platforms of Alibaba and Oracle answer to their guests here, and so does the wire server of Azure.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
]

const privateV4 = new BlockList()
for (const [net, bits] of PRIVATE_V4) privateV4.addSubnet(net, bits, 'ipv4')

/** Only these are given to the public; in it, what is for documents, tests, tunnels and translation is not. */
const publicV6 = new BlockList()
publicV6.addSubnet('2000::', 3, 'ipv6')
const privateV6 = new BlockList()
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
  ['5f00::', 16],
] as const)
  privateV6.addSubnet(net, bits, 'ipv6')

/** Whether an address belongs to the public internet. What cannot be read does not. */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !privateV4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return publicV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6')
}

/** An address as it stands in a URL, without the brackets; `undefined` for a name. */
export function addressOf(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}

/**
 * Resolves a name for a connection and refuses it unless every one of its addresses may be reached. The connection is made to the very
 * addresses that were looked at, so that a name which answers differently the next time gains nothing.
 */
export function guardedLookup(resolve: Resolver, mayReach: (host: string, address: string) => boolean): LookupFunction {
  return (host, options, answer) => {
    void found(host, resolve, mayReach).then((result) => {
      // Outside the promise: what the connection does with the answer is not a failure of the resolver.
      queueMicrotask(() => {
        if (!Array.isArray(result)) answer(result as Error, '', 0)
        else if (options.all === true) answer(null, result as LookupAddress[])
        else answer(null, (result as LookupAddress[])[0]!.address, (result as LookupAddress[])[0]!.family)
      })
    })
  }
}

/** The addresses of a name, or why it is not reached. */
async function found(
  host: string,
  resolve: Resolver,
  mayReach: (host: string, address: string) => boolean,
): Promise<readonly LookupAddress[] | Error> {
  try {
    const addresses = await resolve(host)
    const wrong = addresses.find((address) => !mayReach(host, address))
    if (wrong !== undefined || addresses.length === 0) return notReached(host, wrong)
    return addresses.map((address) => ({ address, family: isIP(address) }))
  } catch (error) {
    return error as Error
  }
}

function notReached(host: string, address: string | undefined): MandateError {
  return new MandateError(
    'DENIED',
    address === undefined
      ? `Refused: "${host}" has no address.`
      : `Refused: "${host}" leads to ${address}, which is not on the public internet. Grant the address itself in \`allow\` if that is meant.`,
  )
}
