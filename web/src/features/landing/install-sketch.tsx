import type { InstallGuide } from "#/shared/install/install-way";

/** Sketches the first step; the button to press has the accent color. */
export function InstallSketch({ guide }: { guide: InstallGuide }) {
  return guide === "computer" ? <Computer /> : <Phone guide={guide} />;
}

function Phone({ guide }: { guide: "ios" | "android" }) {
  const ios = guide === "ios";
  return (
    <svg viewBox="0 0 96 150" aria-hidden className="h-36 fill-none">
      <rect
        x="10"
        y="3"
        width="76"
        height="144"
        rx="12"
        className="fill-raised stroke-control-line"
        strokeWidth="1.5"
      />
      <Gauge x={34} y={58} />
      {ios ? (
        <>
          <path d="M10 120h76" className="stroke-line" />
          <rect x="35" y="121.5" width="26" height="22" rx="6" className="fill-accent" />
          <path
            d="M43 131v7.5h10V131M48 135v-9M44.8 128.8 48 125.6l3.2 3.2"
            className="stroke-accent-on"
            strokeWidth="1.6"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
          <Dots points={[22, 29, 67, 74]} y={132.5} />
        </>
      ) : (
        <>
          <path d="M10 31h76" className="stroke-line" />
          <rect x="18" y="13" width="44" height="11" rx="5.5" className="fill-sunken" />
          <rect x="66" y="8" width="16" height="21" rx="5" className="fill-accent" />
          <g className="fill-accent-on">
            <circle cx="74" cy="13.5" r="1.6" />
            <circle cx="74" cy="18.5" r="1.6" />
            <circle cx="74" cy="23.5" r="1.6" />
          </g>
        </>
      )}
    </svg>
  );
}

function Computer() {
  return (
    <svg viewBox="0 0 220 150" aria-hidden className="h-36 fill-none">
      <rect
        x="20"
        y="8"
        width="180"
        height="116"
        rx="9"
        className="fill-raised stroke-control-line"
        strokeWidth="1.5"
      />
      <path d="M20 38h180" className="stroke-line" />
      <Dots points={[32, 40, 48]} y={23} />
      <rect x="58" y="15" width="132" height="16" rx="8" className="fill-sunken" />
      <rect x="162" y="13" width="24" height="20" rx="6" className="fill-accent" />
      <path
        d="M174 17.5v8M170.8 22.4l3.2 3.2 3.2-3.2M169 28.6h10"
        className="stroke-accent-on"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <Gauge x={96} y={66} />
      <path d="M6 136h208" className="stroke-control-line" strokeWidth="3" strokeLinecap="round" />
    </svg>
  );
}

/** The app's icon as it appears on the home screen. */
function Gauge({ x, y }: { x: number; y: number }) {
  return (
    <g transform={`translate(${x} ${y}) scale(0.875)`}>
      <rect width="32" height="32" rx="7" className="fill-accent-soft" />
      <g className="stroke-accent" strokeWidth="2.4" strokeLinecap="round">
        <path d="M7.2 21.5a9.6 9.6 0 1 1 17.6 0M16 19.2 20.6 11.6M11.5 25h9" />
      </g>
      <circle cx="16" cy="19.4" r="2.2" className="fill-accent" />
    </g>
  );
}

function Dots({ points, y }: { points: readonly number[]; y: number }) {
  return (
    <g className="fill-line">
      {points.map((x) => (
        <circle key={x} cx={x} cy={y} r="2.4" />
      ))}
    </g>
  );
}
