import { MandateError } from '../../../core/index.ts'
import { Refusal, errorAnswer } from '../../http/error-answers.ts'
import { toldMessage } from '../face.ts'

/** An error in the format of the OpenAI API. */
interface OpenAiError {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** A request that cannot be carried out; `param` names the invalid field. */
export class BadRequest extends MandateError {
  readonly param: string

  constructor(param: string, message: string) {
    super('INPUT_INVALID', message)
    this.param = param
  }
}

/** Clients tell a model that is not there from anything else that is not. */
export class UnknownModel extends MandateError {
  constructor(message: string) {
    super('NOT_FOUND', message)
  }
}

export function errorBody(error: unknown, status: number = errorAnswer(error).status): OpenAiError {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  const param = error instanceof BadRequest ? error.param : error instanceof UnknownModel ? 'model' : null
  return { error: { message: toldMessage(error), type, param, code: codeOf(error) } }
}

function codeOf(error: unknown): string | null {
  if (error instanceof UnknownModel) return 'model_not_found'
  if (!MandateError.isInstance(error)) return null
  return error.code === 'NOT_FOUND' ? 'not_found' : error.code
}

/** OpenAI error codes for requests that the server refuses before they reach a route. */
const REFUSED: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' }

/** Returns the error response for any refused request below `/v1`, in the format that OpenAI clients expect. */
export function refusalResponse(error: unknown): Response {
  const { status, headers } = errorAnswer(error)
  const { error: told } = errorBody(error, status)
  const body = error instanceof Refusal ? { ...told, message: error.info.message, code: REFUSED[status] ?? null } : told
  return Response.json({ error: body }, { status, headers: [...headers].filter(([name]) => name !== 'content-length') })
}

/** Returns an error response with `x-should-retry: false`: OpenAI clients retry server errors, and a failed run may already have had effects. */
export function errorResponse(error: unknown): Response {
  const { status } = errorAnswer(error)
  return Response.json(errorBody(error, status), { status, headers: { 'x-should-retry': 'false' } })
}
