#!/usr/bin/env node
// This file has no static imports: an older Node would fail while linking them, before this code could report the reason.
if (runsOn(process.versions.node)) {
  const { runProcess } = await import('./terminal/process.ts')
  await runProcess()
} else {
  console.error(
    `error[CONFIG_INVALID] Mandate does not run on Node ${process.versions.node}. Install Node 22.18 or later (not 23), for example from https://nodejs.org`,
  )
  process.exitCode = 6
}

function runsOn(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 23 || (major === 22 && minor >= 18)
}
