/** The tool that goes on with a run which waited for somebody else. */
export const CONTINUE = 'continue_run'
