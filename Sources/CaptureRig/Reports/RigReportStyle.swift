/// Style of a report's page: colours, type, icons, and words for verdicts.
///
/// *thread-safe*
enum RigReportStyle {
    /// Rights of the page: to be shown. An element that came in by a mistake of escaping could neither load nor run
    /// anything.
    static let policy: Markup =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

    /// Style sheet: system fonts, one accent, and a colour for each verdict, which always has a sign or word beside it.
    ///
    /// Texts have a contrast of at least 4.5 to 1 on both backgrounds of both schemes; a test computes it from these
    /// colours.
    static let sheet = Markup(verbatim: colors + type + tables + drawings + narrow + paper)

    private static let colors = """
        :root{color-scheme:light dark;--bg:#fbfbfa;--card:#ffffff;--ink:#1b1e22;--soft:#5b626b;--hair:#e3e5e8;
        --zone:#cfe3d6;
        --near:#efcf94;--accent:#1f5fa8;--pass:#1f7043;--done:#5b626b;--marginal:#8a5300;--skip:#5b626b;
        --fail:#b3261e;
        --miss:#a3400d;--error:#7a3aa6}
        @media screen and (prefers-color-scheme:dark){:root{--bg:#141619;--card:#1b1e22;--ink:#e7e9ec;--soft:#a3abb5;
        --hair:#31363c;--zone:#2c5340;--near:#7a5a1e;--accent:#84b6f3;--pass:#6fc391;--done:#a3abb5;
        --marginal:#e3b05c;
        --skip:#a3abb5;--fail:#ff8c80;--miss:#f5a57c;--error:#d0a2f2}}
        .v-pass{--v:var(--pass)}.v-done{--v:var(--done)}.v-marginal{--v:var(--marginal)}.v-skip{--v:var(--skip)}
        .v-fail{--v:var(--fail)}.v-miss{--v:var(--miss)}.v-error{--v:var(--error)}

        """

    // Figures are all as wide, so that columns of numbers can be compared. Fonts are the system's: the page has none.
    private static let type = """
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%}
        body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
        sans-serif;
        font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
        header.top,main,footer{max-width:80rem;margin:0 auto;padding:0 1.5rem}
        header.top{padding-top:2.5rem}
        code{font:0.93em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
        a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:2px}
        a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
        .eyebrow{margin:0;color:var(--soft);font-size:.87rem}
        h1{margin:.3rem 0 1.4rem;font-size:clamp(1.6rem,4.2vw,2.3rem);line-height:1.2;font-weight:650;
        letter-spacing:-.015em;
        display:flex;gap:.1em;align-items:baseline;text-wrap:balance}
        h1 .i{width:.85em;height:.85em;flex:none;position:relative;top:.08em}
        h2{margin:3rem 0 1rem;font-size:1.25rem;font-weight:650;letter-spacing:-.01em}
        h3,h4{margin:0;font-size:1rem;font-weight:600;line-height:1.4}
        small,.soft{color:var(--soft);font-size:.87rem}
        p{margin:.4rem 0}
        .i{width:1em;height:1em;color:var(--v);vertical-align:-.13em;margin-right:.35em}
        .w{white-space:nowrap;color:var(--v);font-weight:600}
        .share{display:flex;gap:2px;height:10px;border-radius:5px;overflow:hidden}
        .share i{background:var(--v);min-width:5px;flex-basis:0}
        .counts{display:flex;flex-wrap:wrap;gap:.3rem 1.5rem;margin:.7rem 0 0;padding:0;list-style:none}
        .facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,auto));gap:1rem 1.5rem;
        margin:1.8rem 0 0;
        padding-top:1.2rem;border-top:1px solid var(--hair)}
        .facts div:last-child{grid-column:1/-1}
        dt{color:var(--soft);font-size:.87rem}dd{margin:0}
        dd span{display:inline-block;margin-right:1.2em}
        .card{background:var(--card);border:1px solid var(--hair);border-left:3px solid var(--v);border-radius:6px;
        padding:1rem 1.25rem;margin:0 0 1rem;scroll-margin-top:1rem}
        .card:target{outline:2px solid var(--accent);outline-offset:2px}
        .about{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:.2rem 0 0;color:var(--soft)}
        .about b{color:var(--ink);font-weight:600}.about i{font-style:normal}.about i+bdi{color:var(--ink)}
        .message{margin:.7rem 0;max-width:82ch;text-wrap:pretty}
        details{border-top:1px solid var(--hair)}details:last-of-type{border-bottom:1px solid var(--hair)}
        summary{cursor:pointer;padding:.55rem 0}summary h3{display:inline-block;min-width:min(16rem,60%);
        font-weight:500}
        summary span{margin-right:1rem;white-space:nowrap}
        footer{padding-top:2.5rem;padding-bottom:3rem;color:var(--soft);font-size:.87rem}
        .paper{display:none}.shapes{position:absolute}

        """

    // A table that is too wide nevertheless, by names that mean harm, scrolls by itself.
    private static let tables = """
        table{width:100%;border-collapse:collapse;margin:.7rem 0;font-size:.93rem}
        th,td{padding:.4rem .9rem .4rem 0;text-align:left;vertical-align:baseline;border-top:1px solid var(--hair);
        font-weight:400}
        th:last-child,td:last-child{padding-right:0}
        thead th{border-top:0;color:var(--soft);font-size:.87rem;white-space:nowrap}
        .r{font-size:.87rem}.r td:nth-child(1){min-width:6.3em}
        .r th,.r td,.m th,.m td{overflow-wrap:break-word}
        .card,section[aria-labelledby=all]{overflow-x:auto}
        @media screen and (min-width:75rem){.r tbody th{min-width:9.5em}.r td:nth-child(3){min-width:8.4em}
        .r td:nth-child(4){min-width:12em}
        .r th,.r td{padding-right:.75rem}
        .card:has(figure:only-child){display:grid;grid-template:repeat(7,max-content) 1fr/1fr 24rem;column-gap:2.5rem}
        .card:has(figure:only-child)>*{grid-column:1}.card:has(figure:only-child)>.plots{grid-area:1/2/-1/2;margin:0}}
        .r .b{width:72px;height:9px}
        .m tbody th,.v tbody th{font-weight:600}
        .m td:nth-child(5),.r td:nth-child(9){white-space:nowrap}
        .r th a{font:0.93em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
        .r td:nth-child(6),.r td:nth-child(7),.r td:nth-child(8),.m td:nth-child(3),
        .m td:nth-child(4){white-space:nowrap}
        .each span{white-space:nowrap;margin-right:.7em}.each .i{margin-right:.15em}.each span[class]{color:var(--v);
        font-weight:600}

        """

    // Bars consist of shapes at the head of the page, which selectors at the place of use can't reach.
    private static let drawings = """
        .b{width:96px;height:12px;vertical-align:-1px;margin-right:.7em;overflow:visible}
        .b path,symbol .t,symbol .z,symbol .k{fill:none;stroke-width:4}symbol .t{stroke:var(--hair)}
        symbol .z{stroke:var(--zone)}.b .w{stroke:var(--near)}
        symbol .k{stroke:var(--soft);stroke-width:1}.b .o{stroke:var(--soft);stroke-width:1}
        .b .x{stroke:var(--v);fill:var(--v);stroke-width:2.5}
        .plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,21rem),1fr));gap:1.2rem 2rem;
        margin:1.2rem 0 .6rem}
        figure{margin:0;max-width:34rem}
        figcaption{font-weight:600;font-size:.93rem;margin-bottom:.3rem}figcaption small{font-weight:400;
        display:block}
        .p{display:block;overflow:visible;width:100%;height:auto;font-size:12px;fill:var(--soft)}
        .p path{fill:none;stroke-width:1;vector-effect:non-scaling-stroke}
        .p .g{stroke:var(--hair)}.p .k{stroke:var(--soft)}.p .e{text-anchor:end}.p .c{text-anchor:middle}
        .p .s{stroke:var(--accent);stroke-width:1.3;stroke-linejoin:round}
        .p .d{stroke:var(--accent);stroke-width:3.2;stroke-linecap:round}
        .p .h{fill:var(--accent)}
        .p .l{stroke:var(--v);stroke-dasharray:5 3}.p g.l{stroke:none;fill:var(--v)}
        .p .m,.p g.l{font-weight:600;paint-order:stroke}.p .m text,.p g.l text{paint-order:stroke;stroke:var(--card);
        stroke-width:3px}
        .p .m{fill:var(--ink)}
        .sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(45%,10rem),1fr));gap:.8rem;
        margin:1rem 0;padding:0;
        list-style:none}
        .sheet p{font-size:.87rem;color:var(--soft);margin:.3rem 0}
        .sheet img,.sheet .none{display:block;width:100%;aspect-ratio:4/3;object-fit:contain;background:var(--bg);
        border:1px solid var(--hair);border-radius:4px;margin:0}
        .sheet .none{padding:.6rem}

        """

    // Tables become lists of small cards; roles in the markup keep them tables for screen readers.
    private static let narrow = """
        @media screen and (max-width:75rem){.r td:nth-child(6),.r td:nth-child(8){white-space:normal;
        overflow-wrap:anywhere}}
        @media screen and (max-width:62rem){
        header.top,main,footer{padding-left:1rem;padding-right:1rem}header.top{padding-top:1.5rem}
        .card{padding:.8rem .9rem}
        thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
        table,tbody{display:block}
        tr{display:flex;flex-wrap:wrap;gap:.05rem .9rem;padding:.6rem 0;border-top:1px solid var(--hair)}
        th,td{border:0;padding:0}.n{display:none}
        .m th,.v th{flex:1 1 auto}.r th{flex:1 0 60%}.m td:nth-child(1){order:1}.r td:nth-child(1){order:1;
        min-width:0;flex:0 0 calc(40% - .9rem);text-align:right}.r td,.m td,.v td{order:2}
        .r td:nth-child(5)::before{content:"repeat "}
        .r td:nth-child(8)::before,.m td:nth-child(4)::before{content:"limit "}
        .m td:nth-child(5){flex:1 0 100%}
        .m td:nth-child(6)::before{content:"spread "}
        .r td::before,.m td::before,.v td::before{color:var(--soft)}
        .m td:nth-child(7),.r td:nth-child(6){flex:1 0 100%}
        .v td:nth-child(6)::after{content:" results"}
        }

        """

    // A folded part stays folded: paper is for what went wrong and for the table.
    private static let paper = """
        @page{margin:16mm 14mm;@bottom-right{content:counter(page) " of " counter(pages);font:9pt system-ui,
        sans-serif;color:#5b626b}}
        @media print{
        *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
        html{font-size:9.5pt}body{background:none;font-size:1rem}
        header.top,main,footer{max-width:none;padding:0}
        .facts{grid-template-columns:repeat(auto-fit,minmax(8rem,auto));gap:.7rem 1rem}
        h2,h3,h4{break-after:avoid}h2{margin-top:1.6rem}
        tr,figure,.sheet li,.message{break-inside:avoid}.card{padding:.7rem .9rem;overflow:visible}
        .about{break-after:avoid}
        .card:not(:has(figure,li)){break-inside:avoid}section[aria-labelledby=all]{overflow:visible}
        table{font-size:8.5pt}thead th{font-size:1em}th,td{padding:.25rem .6rem .25rem 0}
        .r td:nth-child(8){white-space:normal}
        .r{font-size:7.5pt}.r th,.r td{padding-right:.4rem}.r td:nth-child(1){min-width:0}.r .b{width:40px;
        height:5px;margin-right:.4em}
        .plots{grid-template-columns:1fr 1fr}.b{width:64px;height:8px}
        a{color:inherit;text-decoration:none}
        details:not([open]){display:none}.paper{display:block}
        }

        """

    /// Shapes of all verdicts, each different without its colour; they are used by their ids.
    static let icons = Markup(
        verbatim: """
            <symbol id="i-pass" viewBox="0 0 16 16"><path d="M2.5 8.5l3.7 3.7L13.5 4" fill="none"
            stroke="currentColor" stroke-width="2.2"/></symbol>
            <symbol id="i-done" viewBox="0 0 16 16"><circle cx="8" cy="8" r="3.2" fill="currentColor"/></symbol>
            <symbol id="i-marginal" viewBox="0 0 16 16"><path d="M3 6l3.4 3.4L13 2.4M2 14.2h12" fill="none"
            stroke="currentColor" stroke-width="2"/></symbol>
            <symbol id="i-skip" viewBox="0 0 16 16"><path d="M3 4l4 4-4 4M8.5 4l4 4-4 4" fill="none"
            stroke="currentColor" stroke-width="1.8"/></symbol>
            <symbol id="i-fail" viewBox="0 0 16 16"><path fill-rule="evenodd" fill="currentColor" d="M8 .5a7.5 7.5 0
            100 15 7.5 7.5 0 000-15zM4.4 5.8l1.4-1.4L8 6.6l2.2-2.2 1.4 1.4L9.4 8l2.2 2.2-1.4 1.4L8 9.4l-2.2
            2.2-1.4-1.4L6.6 8z"/></symbol>
            <symbol id="i-miss" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6.4" fill="none" stroke="currentColor"
            stroke-width="1.8" stroke-dasharray="3.4 2.3"/></symbol>
            <symbol id="i-error" viewBox="0 0 16 16"><path fill-rule="evenodd" fill="currentColor" d="M8 .8L15.8
            15H.2zM7.1 5.6v5h1.8v-5zM7.1 11.8v1.8h1.8v-1.8z"/></symbol>

            """)
}

extension Verdict {
    /// The verdict as people read it.
    var word: String {
        switch self {
        case .done: "Measured"
        case .pass: "Pass"
        case .marginal: "Marginal"
        case .skip: "Skipped"
        case .fail: "Fail"
        case .miss: "Missing"
        case .error: "Error"
        }
    }

    /// Its shape, in its colour; the word is beside it.
    var icon: Markup {
        "<svg class=\"i v-\(rawValue)\" aria-hidden=\"true\"><use href=\"#i-\(rawValue)\"/></svg>"
    }

    /// Shape and word.
    var mark: Markup {
        """
        <span class="w v-\(rawValue)"><svg class="i" aria-hidden="true">\
        <use href="#i-\(rawValue)"/></svg>\(word)</span>
        """
    }
}
