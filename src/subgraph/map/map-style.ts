/** The style of maps: dark or light as the reader prefers. Loads nothing from elsewhere. */
export const mapStyle = `
.graphloom-map{--paper:#fff;--ink:#1c2733;--soft:#5b6b7b;--line:#9fb0c0;--contract:#eaf2fb;--contract-line:#5b8fc7;--trigger:#f6f7f9;--trigger-line:#c3ccd5;--entity:#eaf7ee;--entity-line:#4d9d68;--creates:#b5651d;background:var(--paper);color-scheme:light dark}
@media (prefers-color-scheme:dark){.graphloom-map{--paper:#11171d;--ink:#e6edf3;--soft:#93a3b3;--line:#566675;--contract:#16283b;--contract-line:#5b8fc7;--trigger:#1a222b;--trigger-line:#3a4753;--entity:#15301f;--entity-line:#4d9d68;--creates:#e0a060}}
.graphloom-map text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;fill:var(--ink)}
.graphloom-map .paper{fill:var(--paper)}
.graphloom-map .heading{fill:var(--soft);font-weight:600}
.graphloom-map .name{font-weight:600}
.graphloom-map .small{font-size:11px;fill:var(--soft)}
.graphloom-map .kind{fill:var(--soft)}
.graphloom-map .contract{fill:var(--contract);stroke:var(--contract-line)}
.graphloom-map .template{stroke-dasharray:5 3}
.graphloom-map .panel{fill:var(--trigger);stroke:var(--trigger-line)}
.graphloom-map .row{fill:transparent}
.graphloom-map .rule{stroke:var(--trigger-line)}
.graphloom-map .entity{fill:var(--entity);stroke:var(--entity-line)}
.graphloom-map .edge{fill:none;stroke:var(--line);stroke-width:1.5}
.graphloom-map .creates{stroke:var(--creates);stroke-dasharray:5 3}
.graphloom-map .head{fill:var(--creates)}
.graphloom-map .note{font-size:11px;fill:var(--soft)}
.graphloom-map .figure{font-size:11px;fill:var(--soft);stroke:var(--paper);stroke-width:4px;stroke-linejoin:round;paint-order:stroke;text-anchor:middle}
`;
