import { BlockList, isIP } from 'node:net'
import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { MandateError } from '../../core/index.ts'

/** Returns all addresses of a name. */
export type Resolver = (host: string) => Promise<readonly string[]>

/** The resolver of the system, including the hosts file. */
export const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address)

/** Everything that is not the public internet: this machine, its networks, cloud metadata, and ranges reserved for documentation, tests or tunnels. */
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
  // Metadata services of Alibaba and Oracle, and the wire server of Azure.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
]

const privateV4 = new BlockList()
for (const [net, bits] of PRIVATE_V4) privateV4.addSubnet(net, bits, 'ipv4')

/** The globally routable IPv6 range. `privateV6` excludes what is reserved for documentation, tests, tunnels and translation. */
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

/** Whether an address belongs to the public internet. An invalid one does not. */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !privateV4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%')) return false
  return publicV6.check(address, 'ipv6') && !privateV6.check(address, 'ipv6')
}

/** The address in a URL's host, without brackets; `undefined` for a name. */
export function addressOf(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  return isIP(bare) === 0 ? undefined : bare
}

/** A DNS lookup that refuses a name unless all of its addresses may be reached. The connection uses the checked addresses, which prevents DNS rebinding. */
export function guardedLookup(resolve: Resolver, mayReach: (host: string, address: string) => boolean): LookupFunction {
  return (host, options, answer) => {
    void found(host, resolve, mayReach).then((result) => {
      // Outside the promise: an exception in the callback is not a failure of the resolver.
      queueMicrotask(() => {
        if (!Array.isArray(result)) answer(result as Error, '', 0)
        else if (options.all === true) answer(null, result as LookupAddress[])
        else answer(null, (result as LookupAddress[])[0]!.address, (result as LookupAddress[])[0]!.family)
      })
    })
  }
}

/** The addresses of a name, or the error because of which it is not reached. */
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
