import { useErrorText } from "#/api/error-text";
import type { Failed } from "../run-many";
import { Notice } from "../ui/notice";

/** The rows that an action left unchanged, and why. */
export function FailedRows<Row extends { id: string }>({
  title,
  failed,
  nameOf,
}: {
  title: string;
  failed: readonly Failed<Row>[];
  nameOf: (row: Row) => string;
}) {
  const errorText = useErrorText();
  return (
    <Notice tone="danger">
      <p className="font-semibold">{title}</p>
      <ul className="mt-1 max-h-60 space-y-1 overflow-y-auto text-sm">
        {failed.map(({ row, error }) => (
          <li key={row.id} className="wrap-anywhere">
            <span className="font-semibold">{nameOf(row)}</span>: {errorText(error)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
