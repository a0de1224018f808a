/** The tool that continues a run which waited for another person. */
export const CONTINUE = 'continue_run'
