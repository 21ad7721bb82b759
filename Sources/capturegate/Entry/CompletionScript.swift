/// Completion script for a shell: the parser's, with an addition for names of devices.
enum CompletionScript {
    /// Script for bash that joins words which bash has split; returns any other text unchanged.
    ///
    /// Readline ends a word at each character of COMP_WORDBREAKS, such as a colon or an equals sign. From `test:to` the parser's
    /// script gets only `to`, and from `--camera=te` a word `=`. So a function joins the words before it calls the script. From
    /// each answer it removes the part that is in the line already, as readline expects.
    ///
    /// - Parameter text: output of the parser.
    static func completed(_ text: String) -> String {
        text.hasPrefix("#!/bin/bash\n") ? text + "\n" + joining : text
    }

    /// COMP_LINE shows which pieces belong to one word: they have no blank between them.
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
