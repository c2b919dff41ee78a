package migrate

type facts struct{}

func (p *Plan) agree(m *Migration, others Others) {}
