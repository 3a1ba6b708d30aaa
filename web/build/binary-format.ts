export { fromBinary, toBinary } from "@bufbuild/protobuf";

function refuse(): never {
  throw new Error("the client sends and reads the binary format only");
}

export { refuse as fromJsonString, refuse as toJsonString };
