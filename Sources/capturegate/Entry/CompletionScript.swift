/// Completion script for a shell as it is printed: the parser's, with what it lacks for names of devices.
enum CompletionScript {
    /// Script for bash with names put together that bash has split; any other text as it is.
    ///
    /// Readline ends a word at each character of COMP_WORDBREAKS, a colon and an equals sign among them: of `test:to` the
    /// parser's script sees `to` alone, and of `--camera=te` a word `=`. So it is called by way of a function that joins
    /// the words again, and that takes from each answer what stands in the line already, as readline wants it.
    ///
    /// - Parameter text: that the parser would print.
    static func completed(_ text: String) -> String {
        text.hasPrefix("#!/bin/bash\n") ? text + "\n" + joining : text
    }

    /// Which pieces are of one word is told by COMP_LINE: those without a blank between them.
    private static let joining = #"""

        # Calls _capturegate with the words as they were typed: bash splits them at each colon and equals sign.
        _capturegate_joined() {
            local rest="${COMP_LINE}" gap piece cut='' joining=false
            local -a words=()
            local -i index
            for ((index = 0; index <= COMP_CWORD; index++)); do
                piece="${COMP_WORDS[index]}"
                gap="${rest%%[![:space:]]*}"
                rest="${rest#"${gap}${piece}"}"
                if [[ ${index} -eq 0 || -n "${gap}" ]]; then
                    joining=false
                elif [[ "${piece}" = [:=]* ]]; then
                    joining=true
                fi

                if ! "${joining}"; then
                    words+=("${piece}")
                    cut=''
                elif [[ "${piece}" = '=' && "${words[-1]}" = --* && "${words[-1]}" != *=* ]]; then
                    # What follows is the option's value, which _capturegate knows as a word of its own.
                    words+=('')
                    cut=''
                else
                    # What of the word readline takes for finished: all but its last piece.
                    [[ ${index} -eq ${COMP_CWORD} && "${piece}" != [:=]* ]] || cut="${words[-1]}${piece}"
                    words[-1]+="${piece}"
                fi
            done

            local -a COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD=${#words[@]}-1
            _capturegate "${1}" "${cut}${2}" "${COMP_WORDS[COMP_CWORD - 1]}"

            local reply
            for reply in "${COMPREPLY[@]}"; do
                # As a file's name it would be written test\:tone, and not be completed any further.
                if [[ "${reply}" = *:* && ! -e "${reply}" ]]; then compopt +o filenames 2>/dev/null; fi
            done
            COMPREPLY=("${COMPREPLY[@]#"${cut}"}")
        }

        complete -o filenames -F _capturegate_joined capturegate
        """#
}
