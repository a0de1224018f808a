/** The completion script of each shell. All of them call `mandate` itself, which can complete the ids of the store. */
export const SHELL_SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_mandate() {
  local IFS=$'\\n'
  COMPREPLY=($(mandate completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then compopt -o default 2>/dev/null; fi
}
complete -F _mandate mandate`,
  // Avoids sed, whose tabs differ between systems. Loaded from a folder of $fpath, the file is the function itself; sourced, it registers the function.
  zsh: `#compdef mandate
_mandate() {
  local -a found
  found=(\${(f)"$(mandate completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  found=("\${(@)found//:/\\\\:}")
  found=("\${(@)found/$'\\t'/:}")
  if (( \${#found} )); then _describe 'mandate' found; else _files; fi
}
if [[ $funcstack[1] = _mandate ]]; then
  _mandate "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _mandate mandate
fi`,
  fish: `function __mandate_words
  set -l found (mandate completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $found) -eq 0
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c mandate -f -a '(__mandate_words)'`,
}
