export const inputClass =
  "block min-h-(--control) w-full min-w-0 rounded-(--control-radius) border border-control-line bg-raised px-(--control-pad) text-ink transition-colors aria-invalid:border-danger aria-invalid:ring-1 aria-invalid:ring-danger disabled:bg-sunken disabled:text-muted";
