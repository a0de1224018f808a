/** What each shell runs to complete `mandate`: all of them ask the command itself, so that they know the ids of the store. */
export const SHELL_SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_mandate() {
  local IFS=$'\\n'
  COMPREPLY=($(mandate completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then compopt -o default 2>/dev/null; fi
}
complete -F _mandate mandate`,
  zsh: `#compdef mandate
_mandate() {
  local -a found
  found=(\${(f)"$(mandate completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed -e 's/:/\\\\:/g' -e 's/\\t/:/')"})
  if (( \${#found} )); then _describe 'mandate' found; else _files; fi
}
compdef _mandate mandate`,
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
