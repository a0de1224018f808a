import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { idFrom, sha256 } from '../core/index.ts'

/**
 * Names this process so that others on the same machine can check whether it is alive: `pid@host#start`. To distinguish several users within one
 * process, append `/` and a name.
 */
export function ownerName(): string {
  return `${process.pid}@${machine()}#${processStart(process.pid) ?? 0}`
}

/** Whether the process of an owner is known to be dead. In doubt it counts as alive: its lease then has to expire. */
export function isGone(owner: string): boolean {
  const [, pid, host, start] = /^(\d+)@([^#]+)#(\d+)(?:\/|$)/.exec(owner) ?? []
  if (pid === undefined || host !== machine()) return false
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH'
  }
  // The pid may have been reused, and a zombie keeps its pid although it will never write again.
  const seen = processStart(Number(pid))
  return seen !== undefined && start !== '0' && seen !== start
}

let machineName: string | undefined

/** The machine, boot and pid namespace (containers have their own), outside which pids mean nothing. */
function machine(): string {
  machineName ??= `${idFrom(hostname())}.${sha256(bootId() + processNamespace()).slice(0, 12)}`
  return machineName
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
  } catch {
    return ''
  }
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return ''
  }
}

/** When a process started, in the kernel's ticks; 'ended' for a zombie; `undefined` if the system does not report it. */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name in parentheses may contain anything, so fields are counted from behind it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19]
  } catch {
    return undefined
  }
}
