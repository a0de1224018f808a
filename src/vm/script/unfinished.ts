import { MandateError } from '../../core/index.ts'
import { script } from './script.ts'

/** Parser errors of a source that more text could complete. */
const OPEN_ENDS = ['The script ends too early', 'A template is not closed', 'A comment is not closed']

/** Whether a source is an incomplete script that more lines could complete. */
export function isUnfinished(source: string): boolean {
  try {
    script(source)
    return false
  } catch (error) {
    return MandateError.isInstance(error) && OPEN_ENDS.some((text) => error.message.startsWith(text))
  }
}
