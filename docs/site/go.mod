module github.com/project-codeflare/cfctl/docs/site

go 1.26.0

require github.com/imfing/hextra v0.9.7
