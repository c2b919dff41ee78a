// Answers one question as GitHub's GraphQL would, with the data that it is given:
// what the schema does not have is an error.
import { readFileSync } from "node:fs";
import { buildSchema, execute, parse, validate } from "graphql";

// As it is published the schema has fields twice, which GitHub stands.
const text = readFileSync(new URL("node_modules/@octokit/graphql-schema/schema.graphql", import.meta.url), "utf8");
const schema = buildSchema(text, { assumeValidSDL: true });
const { query, variables, data } = JSON.parse(readFileSync(0, "utf8"));
const document = parse(query);
const errors = validate(schema, document);
const answer = errors.length > 0 ? { errors } : await execute({ schema, document, variableValues: variables, rootValue: data });
console.log(JSON.stringify(answer));
