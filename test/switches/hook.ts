import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { chosen, switched } from './chosen.ts'
import { MUTATION_ENV, REPORT_ENV } from './mutation.ts'

// For sources that Node loads itself: processes that tests start, and whatever Vite leaves to Node.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.startsWith('file:') || loaded.source === undefined || loaded.source === null) return loaded
    const text = typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
    const source = switched(chosen(), fileURLToPath(url.replace(/[?#].*$/, '')), text)
    if (source === undefined) return loaded
    appendFileSync(process.env[REPORT_ENV]!, `${JSON.stringify({ id: process.env[MUTATION_ENV], applied: true })}\n`)
    return { ...loaded, source }
  },
})
