// A worker: it drives whatever runs there are, until it is told to end. `mandate worker` does the same.
import { openService } from './service.ts'

const service = await openService(process.argv[2]!, 'worker')
await service.start()
console.log('up')
process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)))
