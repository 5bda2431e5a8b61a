import{r as e,t}from"./chunk-SHT3W25Y.js";import"./chunk-POPQ4Y6H.js";import"./chunk-LNGE3PJU.js";import"./chunk-TLUHSLCS.js";import"./chunk-F27PBJKO.js";import"./chunk-L3NEJ4N5.js";import"./chunk-OSK3NFVY.js";import"./chunk-GVQU2GXP.js";import"./chunk-4HAMMTFA.js";import"./chunk-P2QGCYS3.js";import"./chunk-GMAD6QVW.js";import"./chunk-PWAF6VOD.js";import"./chunk-75Z2AOVW.js";import"./chunk-DU6HZSFF.js";import"./d3-selection.js";import{n}from"./chunk-Y2CYZVJY.js";var r=t({defaultLayout:`swimlane`,styles:n(t=>`${e(t)}
  .swimlane.cluster rect {
    stroke: ${t.clusterBorder} !important;
  }
  [data-look="neo"].cluster rect {
    filter: none;
  }
`,`getStyles`)});export{r as diagram};