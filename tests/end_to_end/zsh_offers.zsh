# SPDX-License-Identifier: Apache-2.0
# What zsh offers for the last word of a line, in order: it completes at a terminal only, so one is
# made for it.
#   zsh_offers.zsh FUNCTIONS LINE
zmodload zsh/zpty
zpty shell "zsh -f -i"
ask() { zpty -w shell "$1" }
ask 'PROMPT= RPS1= ; stty -echo'
ask "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
# Whatever would be added is printed in its place.
ask 'compadd() {
    local -a words given
    zparseopts -D -E -a given -- O:=given A:=given D:=given
    if (( ${given[(I)-[OAD]]} )); then builtin compadd "${given[@]}" "$@"; return; fi
    builtin compadd -A words "$@"
    (( ${#words} )) && found+=("${words[@]}")
    builtin compadd "$@"
}'
ask 'show() { found=(); zle complete-word; print "<<${(uo)found}>>"; zle kill-whole-line; zle accept-line }'
ask 'typeset -ga found; zle -N show; bindkey "^T" show'
ask 'print ready'
while zpty -r shell line; do [[ $line == ready* ]] && break; done
zpty -n -w shell "$2"$'\C-T'
while zpty -r shell line; do
    if [[ $line == *'<<'*'>>'* ]]; then
        line=${line#*<<}
        print -- ${line%%>>*}
        break
    fi
done
zpty -d shell
